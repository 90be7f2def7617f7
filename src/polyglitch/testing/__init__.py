"""Polyglitch inside other people's tests: a decorator, and a pytest plugin."""
