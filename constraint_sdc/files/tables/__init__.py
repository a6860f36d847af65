"""Tables that are not XML: each is presented as XML rows while it is read, and written in its own format."""
