/**
 * How long a job keeps the processor (ms), the best of some tries. What others do on the machine is not in it, so two of
 * these can be compared on a busy one.
 */
export function processorTime(job: () => unknown, tries = 3): number {
  const times = Array.from({ length: tries }, () => {
    const before = process.cpuUsage()
    job()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}
