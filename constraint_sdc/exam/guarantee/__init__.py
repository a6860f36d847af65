"""The exam of the guarantee: random rules and data, masked by the pipeline, judged by Saxon on the written bytes."""
