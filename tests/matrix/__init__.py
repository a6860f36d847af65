"""A matrix of recorded runs: what the command line publishes, says in JSON and answers, with wording aside."""
