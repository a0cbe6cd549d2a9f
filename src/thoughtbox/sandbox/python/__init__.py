"""The Python sandbox: snippets run by Monty, an interpreter without a world, in processes of its own.

A snippet is rewritten where the engine cannot say what we need (`rewriting`), finds the library `tb` (`library`,
`prelude.monty`), is driven ask by ask (`run`) in a worker (`workers`), and is held to its limits (`watch`). Before
that a type checker may have a say (`checker`). Way in: `sandbox.PythonSandbox`.
"""
