/** Does each of the cases in one of the lanes, as soon as it is free. */
export async function inLanes<Lane, Case>(
  lanes: readonly Lane[],
  cases: Iterable<Case>,
  run: (lane: Lane, each: Case) => Promise<void>,
): Promise<void> {
  const waiting = once(cases)
  await Promise.all(
    lanes.map(async (lane) => {
      for (const each of waiting) await run(lane, each)
    }),
  )
}

/** One shared iterator: each case runs in exactly one lane. */
function* once<Case>(cases: Iterable<Case>): Generator<Case> {
  yield* cases
}
