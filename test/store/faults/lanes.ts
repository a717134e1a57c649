/** Does each of the cases in one of the lanes, as soon as it is free. */
export async function inLanes<Lane, Case>(
  lanes: readonly Lane[],
  cases: readonly Case[],
  run: (lane: Lane, each: Case) => Promise<void>,
): Promise<void> {
  const waiting = cases.values()
  await Promise.all(
    lanes.map(async (lane) => {
      for (const each of waiting) await run(lane, each)
    }),
  )
}
