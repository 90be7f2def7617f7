"""Issues in the browser: looked at, judged, agreed on."""
