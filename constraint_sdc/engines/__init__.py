"""Where work runs: in this process, in worker processes, or on a cluster; and where its large arrays live."""
