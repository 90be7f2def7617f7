"""The same work by Polyglitch and its peers, each a script run in an environment of its own by `benchmarks.peers`."""
