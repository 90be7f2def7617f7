"""A stranger's quality estimator: how alike source and translation are in length."""


def estimate(sources: list[str], translations: list[str]) -> list[float]:
    pairs = zip(sources, translations, strict=True)
    return [min(len(s), len(t)) / max(len(s), len(t), 1) for s, t in pairs]


estimate.noticed = 0.05
