// What the plugin itself does while the host starts: the import of its module and the call of `server`.
// Runs on Bun, as plugins do. usage: own-time-probe.mjs <project>
const [project] = process.argv.slice(2)

const started = performance.now()
const { default: plugin } = await import("../../dist/server/index.js")
const imported = performance.now()
const hooks = await plugin.server({ directory: project, worktree: project, client: {} }, undefined)
const ready = performance.now()

console.log(JSON.stringify({ import_ms: imported - started, server_ms: ready - imported }))
await hooks.dispose?.()
