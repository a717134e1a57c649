// Runs some hundred cases in one process: `damage-batch.ts <first> <count>`. Prints the row as JSON.
import { damageFiles } from "./damage.ts"

const [from = 0, count = 100] = process.argv.slice(2).map(Number)
process.stdout.write(JSON.stringify(await damageFiles(from, count)))
