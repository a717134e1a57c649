// A process that keeps putting a link in the place of a file or folder, and the file back, until it reads a line.
// usage: link-swapper.mjs <path> <where the link leads>; prints "begun", then how often it swapped.
import { renameSync, rmSync, symlinkSync } from "node:fs"

const [path, target] = process.argv.slice(2)
const aside = `${path}.aside`
let swaps = 0
let isOver = false
process.stdin.once("data", () => {
  isOver = true
})
process.stdout.write("begun\n")
swap()

function swap() {
  if (isOver) {
    process.stdout.write(`${swaps}\n`)
    process.exit(0)
  }
  for (let n = 0; n < 20; n++) {
    try {
      renameSync(path, aside)
      symlinkSync(target, path)
      swaps++
    } catch {
      // Another process made something at this name first: that is taken away, as the link would be.
    }
    rmSync(path, { recursive: true, force: true })
    try {
      renameSync(aside, path)
    } catch {
      // The same: the next round takes it away.
    }
  }
  setImmediate(swap)
}
