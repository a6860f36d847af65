"""SDMX-ML: messages of observations, presented as rows."""
