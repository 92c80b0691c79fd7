import assert from "node:assert/strict";
import test from "node:test";

import { hsvOf, pickedBox, pickedColour, pickedPoint, pickedStroke } from "../../static/js/models/picking.js";
import { chainIn, readPasted } from "../../static/js/models/parse-toolchain.js";
import { added, argumentOf, meant, moved, newCall, picturesBefore, removed, textOf, Tools, valueOf, withArguments } from "../../static/js/models/workbench.js";

const parameter = (name, more) => ({ name, kind: "integer", required: true, choices: [], length: 0, low: 1, high: 99, ...more });
const crop = { name: "crop", title: "Crop", aliases: [], summary: "Cuts out", module: "Geometry", parameters: ["x", "y", "width", "height"].map((name) => parameter(name)) };
const canny = { name: "canny", title: "Canny Edge", aliases: ["edge detect"], summary: "Edges", module: "Feature Extraction", parameters: [] };
const contours = { name: "contours", title: "Draw Contours", aliases: ["find contours"], summary: "Outlines of edges", module: "Drawing", parameters: [] };
const tools = new Tools([crop, canny, contours]);
const call = (tool) => ({ tool, arguments: {}, image_in: null, image_out: null });
const names = (calls) => calls.map(({ tool }) => tool).join("");

test("a tool is found by every name in use, and nothing else is", () => {
  for (const name of ["crop", "Crop", "opencv_crop", " CROP_tool "]) assert.equal(tools.get(name), crop);
  assert.equal(tools.get("Edge Detect"), canny);
  assert.equal(tools.get("telescope"), null);
});

test("typing finds tools by name first, then by other names, then by what they do", () => {
  assert.deepEqual(tools.suggested("c"), [crop, canny, contours]);
  assert.deepEqual(tools.suggested("edge"), [canny, contours]);
  assert.deepEqual(tools.suggested("zzz"), []);
  assert.deepEqual(tools.suggested("", 2), [crop, canny]);
});

test("a tool is found by what one wants and by a value, one spelling as good as the other", () => {
  const mask = { ...crop, name: "inrange_color", title: "In-Range Color", uses: ["share of a colour"], parameters: [] };
  const blur = { ...crop, name: "blur", title: "Blur", uses: ["smooth"], parameters: [parameter("method", { choices: ["median"] })] };
  const known = new Tools([crop, blur, mask]);
  assert.deepEqual(known.suggested("color share"), [mask]);
  assert.deepEqual(known.suggested("Colour sh"), [mask]);
  assert.deepEqual(known.suggested("median"), [blur]);
  assert.deepEqual(known.suggested("smooth"), [blur]);
  assert.deepEqual(known.suggested("median blur"), [blur]);
});

test("a new call runs as it is: the crop lies inside the picture", () => {
  assert.deepEqual(newCall(crop, { width: 100, height: 60 }).arguments, { x: 25, y: 15, width: 50, height: 30 });
  const tiny = newCall(crop, { width: 1, height: 1 }).arguments;
  assert.ok(tiny.x + tiny.width <= 1 && tiny.width >= 1);
});

test("a value that was typed to find a tool is given to the new step, a name is not", () => {
  const blur = { ...crop, name: "blur", title: "Blur", parameters: [parameter("method", { choices: ["average", "median"] })] };
  const mask = { ...crop, name: "inrange_color", title: "In-Range Color", parameters: [parameter("mode", { choices: ["color"] })] };
  assert.deepEqual(newCall(blur, { width: 9, height: 9 }, meant(blur, "Median blur")).arguments, { method: "median" });
  assert.deepEqual(meant(blur, "medi"), { method: "median" });
  assert.deepEqual([meant(blur, "blur"), meant(blur, "smooth"), meant(mask, "colour range")], [{}, {}, {}]);
});

test("steps are added, removed and moved; the others keep their order", () => {
  const calls = ["a", "b", "c", "d"].map(call);
  assert.equal(names(moved(calls, 0, 2)), "bcad");
  assert.equal(names(moved(calls, 3, 0)), "dabc");
  assert.equal(moved(calls, 0, -1), calls);
  assert.equal(names(removed(calls, 1)), "acd");
  assert.equal(names(added(calls, call("e"), 1)), "aebcd");
});

test("what a step works on follows its maker when steps are moved, added or taken away", () => {
  const step = (tool, image_in = null, image_out = null) => ({ tool, arguments: {}, image_in, image_out });
  const calls = [step("a"), step("b", "original", "named"), step("c", "step_1"), step("d", ["step_3", "named"])];
  const ways = (list) => list.map(({ tool, image_in }) => [tool, image_in]);
  assert.deepEqual(ways(moved(calls, 0, 1)), [["b", "original"], ["a", null], ["c", "step_2"], ["d", ["step_3", "named"]]]);
  assert.deepEqual(ways(added(calls, step("e"), 0)), [["e", null], ["a", null], ["b", "original"], ["c", "step_2"], ["d", ["step_4", "named"]]]);
  assert.deepEqual(ways(removed(calls, 2)), [["a", null], ["b", "original"], ["d", ["step_1", "named"]]]);
  assert.deepEqual(ways(removed(calls, 1)), [["a", null], ["c", "step_1"], ["d", ["step_2", "original"]]]);
});

test("an emptied field takes its argument away, and other arguments stay", () => {
  const calls = withArguments([{ ...call("crop"), arguments: { x: 1, y: 2 } }], 0, { x: undefined, width: 5 });
  assert.deepEqual(calls[0].arguments, { y: 2, width: 5 });
});

test("a field's text becomes the value it means, and stays a text where it means none", () => {
  assert.equal(valueOf(parameter("x"), " 12 "), 12);
  assert.equal(valueOf(parameter("x"), "twelve"), "twelve");
  assert.equal(valueOf(parameter("x"), ""), undefined);
  assert.deepEqual(valueOf(parameter("c", { kind: "list" }), "[0, 300 7]"), [0, 300, 7]);
  assert.equal(valueOf(parameter("n", { kind: "choice", choices: [4, 8] }), "8"), 8);
  assert.equal(valueOf(parameter("i", { kind: "boolean" }), "true"), true);
  assert.equal(textOf([0, 255, 0]), "0 255 0");
  assert.equal(textOf(0), "0");
  assert.equal(textOf(null), "");
});

test("an argument is found in either spelling", () => {
  assert.equal(argumentOf({ arguments: { minLineLength: 7 } }, "min_line_length"), 7);
  assert.equal(argumentOf({ arguments: {} }, "x"), undefined);
});

test("a call may take the original and what earlier steps make", () => {
  const calls = [{ ...call("a"), image_out: "part" }, call("b"), call("c")];
  assert.deepEqual(picturesBefore(calls, 2), ["original", "part", "step_2"]);
});

test("a box lies inside the picture whichever way it is drawn, and is a pixel wide at least", () => {
  const size = { width: 100, height: 50 };
  assert.deepEqual(pickedBox([30, 40], [10, 20], size), { x: 10, y: 20, width: 20, height: 20 });
  assert.deepEqual(pickedBox([-9, -9], [500, 500], size), { x: 0, y: 0, width: 100, height: 50 });
  assert.deepEqual(pickedBox([100, 50], [100, 50], size), { x: 99, y: 49, width: 1, height: 1 });
  assert.deepEqual(pickedPoint([99.9, -1], size), { x: 99, y: 0 });
  assert.deepEqual(pickedStroke([1, 2], [300, 4], size), { x1: 1, y1: 2, x2: 99, y2: 4 });
});

test("a colour is read as OpenCV has it, and its range goes round through red", () => {
  assert.deepEqual(hsvOf([255, 0, 0]), [0, 255, 255]);
  assert.deepEqual(hsvOf([0, 255, 0]), [60, 255, 255]);
  assert.deepEqual(hsvOf([0, 0, 255]), [120, 255, 255]);
  assert.deepEqual(hsvOf([90, 90, 90]), [0, 0, 90]);
  assert.deepEqual(pickedColour([255, 0, 0]), { lower: [170, 195, 195], upper: [10, 255, 255] });
  assert.deepEqual(pickedColour([200, 100, 0], "bgr"), { lower: [0, 70, 170], upper: [30, 130, 230] });
});

test("a list of calls, a trajectory and a chat message are pasted alike; failed steps made nothing", () => {
  const wanted = [{ tool: "crop", arguments: { x: 1 }, image_in: null, image_out: null }];
  assert.deepEqual(readPasted('[{"tool": "crop", "arguments": {"x": 1}}]').calls, wanted);
  const steps = [{ tool: "crop", arguments: { x: 1 }, ok: true, observation: "done" }, { tool: "blur", ok: false }];
  assert.deepEqual(readPasted(JSON.stringify({ id: 7, steps })).calls, wanted);
  const chat = { tool_calls: [{ function: { name: "crop", arguments: '{"image": "/a.png", "param": {"x": 1}}' } }] };
  assert.deepEqual(readPasted(JSON.stringify(chat)).calls, wanted);
});

test("a trajectory of the native format is pasted with its arguments, its zooms as what they cut", () => {
  const steps = [
    { tool: "zoom", bbox: [0.25, 0.5, 0.75, 1.2], coords: "norm1", image_out: "a", out_size: [200, 100] },
    { tool: "image_zoom_in_tool", bbox: [10, 20, 30.4, 60], image_in: "a" },
    { tool: "crop", args: { x: 1, width: 2, height: 3 }, bbox: [1, 0, 3, 3] },
    { tool: "canny", args: { threshold_low: 5 }, text: "edges", observation: "done" },
  ];
  const { calls } = readPasted(JSON.stringify({ id: 7, trajectory: { model: "m", steps } }), { width: 400, height: 200 });
  assert.deepEqual(calls.map(({ tool, arguments: given }) => [tool, given]), [
    ["zoom_in", { x: 100, y: 100, width: 200, height: 100, target_width: 200, target_height: 100 }],
    ["crop", { x: 10, y: 20, width: 20, height: 40 }],
    ["crop", { x: 1, width: 2, height: 3 }],
    ["canny", { threshold_low: 5 }],
  ]);
  assert.deepEqual(calls.map(({ image_in, image_out }) => [image_in, image_out]), Array(4).fill([null, null]));
});

test("of a trajectory only the names of pictures that branch are kept, so that its steps can be moved", () => {
  const step = (tool, image_in, image_out) => ({ tool, image_in, image_out });
  const steps = [step("crop", "original", "/a.png"), step("canny", "/a.png", "/b.png"), step("blur", "/a.png", "/c.png"), step("gray", "/c.png", "/d.png")];
  const { calls } = readPasted(JSON.stringify({ steps }));
  assert.deepEqual(calls.map(({ image_in, image_out }) => [image_in, image_out]), [[null, "/a.png"], [null, null], ["/a.png", null], [null, null]]);
  assert.equal(readPasted(JSON.stringify(steps)).calls[3].image_in, "/c.png");
});

test("an address may bring a chain behind its #", () => {
  assert.equal(chainIn("#chain=%7B%22steps%22%3A%5B%5D%7D"), '{"steps":[]}');
  assert.equal(chainIn("#turn=3"), "");
});

test("what cannot be pasted says why", () => {
  for (const [text, words] of [["{", "not JSON"], ["[]", "no successful call"], ["[5]", "Call 1"], ['{"steps": 4}', "list of calls"], ['{"tool_calls": [{"function": {"name": "a", "arguments": "{"}}]}', "arguments of a call"]])
    assert.match(readPasted(text).problem, new RegExp(words));
});
