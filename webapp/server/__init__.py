"""The web server: uvicorn, with what it lacks against slow and large requests, around Django in a pool of threads.

``protocol``: connections that send or read too slowly are closed. ``bodies``: a request is read whole, within the
limits of its address, before it takes a thread. ``site``: a request from its head to the end of its answer.
"""
