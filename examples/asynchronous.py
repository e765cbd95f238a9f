# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Shows calls that are awaited: many at once, after a fence, and with a limit of time.

import asyncio

import numpy as np
from common import load, parse_arguments

import iree_cy as rt

FLAGS = ("--iree-execution-model=async-external",)


async def main(module, device):
    rng = np.random.default_rng(0)
    images = rng.standard_normal((100, 64, 64)).astype(np.float32)
    weights = rng.standard_normal((64, 64)).astype(np.float32)

    results = await asyncio.gather(*[module.mix.call_async(image, weights) for image in images])
    np.testing.assert_allclose([result.to_host() for result in results], images @ weights, rtol=1e-3, atol=1e-4)
    print(f"{len(results)} calls at once")

    # These wait for a fence, which is signalled later. On a device with a queue they hold no thread meanwhile.
    ready = rt.HalFence.create_at(device.create_semaphore(0), 1)
    calls = [module.mix.call_async(image, weights, wait=ready) for image in images[:3]]
    print(f"{sum(call.done() for call in calls)} done before the fence")
    ready.signal()
    await asyncio.gather(*calls)

    # Whatever else a semaphore stands for can be awaited too.
    bridge = rt.HalDeviceLoopBridge(device, asyncio.get_running_loop())
    semaphore = device.create_semaphore(0)
    reached = bridge.on_semaphore(semaphore, 2, "the semaphore is at 2")
    semaphore.signal(2)
    print(await reached)
    bridge.stop()

    try:
        await module.power.call_async(weights, 10**9, timeout=0.1)
    except TimeoutError as error:
        print(f"too long: {error}")


def run():
    arguments = parse_arguments("Calls that are awaited.")
    module = load("asynchronous", arguments, FLAGS)
    asyncio.run(main(module, rt.get_device(arguments.device)))


if __name__ == "__main__":
    run()
