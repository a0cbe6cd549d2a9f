"""Finding one's place: begin a session or go on with one, say what it is about, learn the cipher."""
