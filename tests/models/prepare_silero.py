# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the way from the ONNX file of the silero-vad package to one that iree-import-onnx and the compiler take.
"""Prepare the 16 kHz model of the PyPI package silero-vad for compilation.

The graph is kept but for three things: the leading dimension of its input becomes 1; the reflecting Pad of its front
end, whose amounts the graph computes from constants, becomes the equal Gather; and padding of a convolution that none
of its windows reaches is left out (the compiler's lowerings of both do not verify). The inputs are a window of 576
samples and the two states of the recurrent layer, the outputs the probability of speech and the states that follow.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference
from onnx.reference import ReferenceEvaluator

__all__ = ["MEMBER", "prepare"]

MEMBER = "silero_vad/data/silero_vad_16k_sequence.onnx"


def _padding(model: onnx.ModelProto, pad: onnx.NodeProto) -> np.ndarray:
    """Compute the amounts of a Pad that depend on constants only."""
    nodes = list(model.graph.node)
    before = nodes[: nodes.index(pad)]
    graph = helper.make_graph(
        before, "padding", [], [helper.make_tensor_value_info(pad.input[1], onnx.TensorProto.INT64, None)]
    )
    return ReferenceEvaluator(helper.make_model(graph, opset_imports=model.opset_import)).run(None, {})[0]


def _trim_convolutions(model: onnx.ModelProto) -> onnx.ModelProto:
    """Leave out padding at the end that no window of a convolution in one dimension reaches."""
    inferred = shape_inference.infer_shapes(model, data_prop=True)
    shapes = {value.name: value.type.tensor_type.shape.dim for value in inferred.graph.value_info}
    for node in inferred.graph.node:
        if node.op_type != "Conv":
            continue
        attributes = {attribute.name: attribute for attribute in node.attribute}
        (stride,) = attributes["strides"].ints
        (kernel,) = attributes["kernel_shape"].ints
        begin, end = attributes["pads"].ints
        unreached = (shapes[node.input[0]][-1].dim_value + begin + end - kernel) % stride
        attributes["pads"].ints[1] = end - min(end, unreached)
    return inferred


def prepare(source: bytes) -> onnx.ModelProto:
    """Return the prepared model for the bytes of the ONNX file."""
    model = onnx.load_from_string(source)
    leading = model.graph.input[0].type.tensor_type.shape.dim[0]
    leading.ClearField("dim_param")
    leading.dim_value = 1
    length = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
    (pad,) = (node for node in model.graph.node if node.op_type == "Pad")
    amounts = _padding(model, pad)
    if len(amounts) != 4 or amounts[0] or amounts[2]:
        raise ValueError(f"the padding {amounts} is not along the samples only")
    indices = np.pad(np.arange(length, dtype=np.int64), (amounts[1], amounts[3]), mode="reflect")
    model.graph.initializer.append(numpy_helper.from_array(indices, "reflected_samples"))
    gather = helper.make_node("Gather", [pad.input[0], "reflected_samples"], list(pad.output), axis=1)
    position = list(model.graph.node).index(pad)
    model.graph.node.remove(pad)
    model.graph.node.insert(position, gather)
    return _trim_convolutions(model)


def main() -> None:
    """Write the prepared model: ``prepare_silero.py <wheel of silero-vad> <output.onnx>``."""
    wheel, output = Path(sys.argv[1]), Path(sys.argv[2])
    with zipfile.ZipFile(wheel) as archive:
        onnx.save(prepare(archive.read(MEMBER)), output)


if __name__ == "__main__":
    main()
