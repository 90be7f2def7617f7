"""The oracle `claims`: what two answers claim, and whether the claims stay, follow the edit, or vanish."""

from polyglitch.compare.oracles.claims.oracle import claims

__all__ = ["claims"]
