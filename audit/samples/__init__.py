"""Black boxes: engines of which nothing is seen but samples (docs/black-boxes.md).

Everything comes down to betting on coins of known bias (`betting`): whether a sample falls into a
named event whose probability is known, or which of two modes' samples fell into it when one did. A
wager on every event of every named statistic (`partitions`) at every prompt is kept (`cells`), and
their average, which can exceed 1/alpha with probability alpha at most however long one watches, is
the evidence (`auditing`). `power` says what would have been seen. The verdict is LOSSY or
UNDECIDED; samples never show that something is lossless.
"""
