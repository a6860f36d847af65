"""The verbs as Python functions: paths may be strings, options may be keywords. `constraint_sdc` exports them."""
