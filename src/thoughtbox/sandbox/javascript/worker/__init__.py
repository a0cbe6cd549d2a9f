"""What runs in a worker process: confined, with the engine loaded, it takes one snippet after the other.

Imports nothing but the frames, the module files, the standard library and wasmtime. Ways in: `serve.py` (the worker),
`build.py` (compiles a module once).
"""
