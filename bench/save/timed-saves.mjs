// The loop of a worker: for every message saves the given mems one after the other and answers with the ms of each.
export function answerWith(actions) {
  process.on("message", async (message) => {
    const ms = []
    for (const mem of message.mems ?? []) {
      const started = performance.now()
      await actions.save(mem)
      ms.push(performance.now() - started)
    }
    if (message.fold) {
      const started = performance.now()
      await actions.fold()
      ms.push(performance.now() - started)
    }
    process.send(ms)
  })
  process.send("ready")
}
