/** The tool plan of a sample: targets with their steps from 1 on, targets of one step in any order, and distractors. */

/** A target in no group has no such key. */
const group = (either) => (either === undefined || either === null ? {} : { either });

/** Targets without groups of one, which say nothing. */
function paired(targets) {
  const sizes = new Map();
  for (const { either } of targets) sizes.set(either, (sizes.get(either) ?? 0) + 1);
  return targets.map(({ either, ...target }) => ({ ...target, ...(sizes.get(either) > 1 ? group(either) : {}) }));
}

/** Targets by step: [[{tool, at}, …], …], where `at` is the place among the targets. */
export function stepsOf({ targets }) {
  const numbers = [...new Set(targets.map(({ step }) => step))].sort((a, b) => a - b);
  return numbers.map((number) => targets.flatMap(({ tool, step, either }, at) => (step === number ? [{ tool, at, ...group(either) }] : [])));
}

/** Content whose targets are these steps, numbered again; empty steps fall away. */
function withSteps(content, steps) {
  const targets = steps
    .filter((tools) => tools.length)
    .flatMap((tools, place) => tools.map(({ tool, either }) => ({ tool, step: place + 1, ...group(either) })));
  return { ...content, targets: paired(targets) };
}

const placeOf = (steps, at) => steps.findIndex((tools) => tools.some((one) => one.at === at));
const without = (steps, at) => steps.map((tools) => tools.filter((one) => one.at !== at));

/** A target in a step of its own at the end, once; a tool that was a distractor is none any more. */
export function addTarget(content, tool) {
  if (content.targets.some((target) => target.tool === tool)) return content;
  const steps = [...stepsOf(content), [{ tool }]];
  return withSteps(removeDistractor(content, tool), steps);
}

export const removeTarget = (content, at) => withSteps(content, without(stepsOf(content), at));

/** Put a target into the step at a place (from 0), with what is there. */
export function intoStep(content, at, place) {
  const steps = stepsOf(content);
  if (!steps[place] || placeOf(steps, at) === place) return content;
  const moving = { tool: content.targets[at].tool };
  return withSteps(content, without(steps, at).map((tools, here) => (here === place ? [...tools, moving] : tools)));
}

/** Put a target into a step of its own before the step at a place; at the end when there is none. */
export function intoOwnStep(content, at, place) {
  const moving = { tool: content.targets[at].tool };
  return withSteps(content, without(stepsOf(content), at).toSpliced(place, 0, [moving]));
}

/** One move up or down: out of a shared step into one of its own, or from its own into the next one. */
export function shiftTarget(content, at, by) {
  const steps = stepsOf(content);
  const place = placeOf(steps, at);
  if (steps[place].length > 1) return intoOwnStep(content, at, by < 0 ? place : place + 1);
  return intoStep(content, at, place + by);
}

/** Whether one of the targets of a step is enough: all of them are in one group. */
export const isEither = (tools) => tools.length > 1 && tools.every(({ either }) => either && either === tools[0].either);

/** One of the targets of the step at a place is enough, or all of them are needed. */
export function markEither(content, place, on) {
  const steps = stepsOf(content);
  const number = Math.max(0, ...content.targets.map(({ either }) => either ?? 0)) + 1;
  const marked = steps.map((tools, here) => (here === place ? tools.map(({ tool }) => ({ tool, ...(on ? { either: number } : {}) })) : tools));
  return withSteps(content, marked);
}

/** How a distractor resembles a target: visual, functional, domain, or "" for unknown. */
export function setLikeness(content, tool, kind) {
  const { [tool]: _, ...others } = content.likeness ?? {};
  return { ...content, likeness: kind ? { ...others, [tool]: kind } : others };
}

/** A distractor; a tool that was a target is none any more. */
export function addDistractor(content, tool) {
  if (content.distractors.includes(tool)) return content;
  const steps = stepsOf(content).map((tools) => tools.filter((one) => one.tool !== tool));
  return withSteps({ ...content, distractors: [...content.distractors, tool] }, steps);
}

export const removeDistractor = (content, tool) => ({
  ...setLikeness(content, tool, ""),
  distractors: content.distractors.filter((one) => one !== tool),
});
