/** What a server has in force, which follows the objects after a moment. */
import type { Cluster } from './cluster.ts'

/** Seats of each level by the server's own metrics. */
export async function nominalLimits(cluster: Cluster): Promise<Record<string, number>> {
  const { stdout } = await cluster.kubectl(['get', '--raw', '/metrics'])
  const lines = stdout.matchAll(/^apiserver_flowcontrol_nominal_limit_seats\{priority_level="([^"]+)"\} (\S+)$/gm)
  return Object.fromEntries([...lines].map(([, level = '', value]) => [level, Number(value)]))
}

/** Tries again until it holds. */
export async function eventually(check: () => Promise<void>, patienceMs = 20_000): Promise<void> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
}
