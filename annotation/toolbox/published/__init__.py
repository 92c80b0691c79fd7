"""The tools of the published interface of VTC-Bench that take other parameters or make other pixels than ours."""
