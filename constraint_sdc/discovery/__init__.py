"""Rules that data satisfy: searched in one part of the records, tested on the rest, ranked by surprise."""
