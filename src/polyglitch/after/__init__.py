"""What is done with a run that is over: judged by labels, ordered, explained, minimised, mended, exported."""
