"""The workspace as a whole: begin in it, see how it stands, read how it is used."""
