"""The sandbox for JavaScript and TypeScript: QuickJS in WebAssembly, in worker processes of our own.

Ways in: `sandbox.py` (`JavaScriptSandbox`), `compiled.py` (`prepare`, which set-up calls). What runs in the server
stands here, what runs in a worker in `worker`; they share `frames.py` and `module_files.py`, which therefore import
next to nothing. The server never imports wasmtime.
"""
