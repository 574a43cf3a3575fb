"""A harness: a decoder's rule in any language, asked over JSON lines (docs/harness.md).

`process` runs the program and reads its lines, `session` speaks the protocol and starts the program
again after a failure, `capabilities` reads what it offers, `batches` finds the joint law of several
requests, and `auditing` puts the report together. The method is that of the `kernel` kind.
"""
