/** Saved metrics: what was read of each process. */
import { basename } from 'node:path'
import type { Problem } from '../apf/problem.ts'
import type { Observations } from '../metrics/observe.ts'
import { type MetricsReading, readMetrics } from '../metrics/process-metrics.ts'
import { savedMetrics } from '../metrics/read-recording.ts'
import { unreadable } from './input.ts'

export interface MetricsRead {
  /** One for each API server process. */
  observed: Observations[]
  /** Of files that tell of no API server. */
  problems: Problem[]
}

const NO_DUMP = { unavailable: 'no debug dump was given' }

/** Reads saved expositions, one API server each, named after its file; one of a federation has one for each target. */
export async function readMetricsFiles(paths: readonly string[]): Promise<MetricsRead> {
  const readings = await Promise.all(paths.map(async (path) => ({ path, reading: await readFile(path) })))
  const observed: Observations[] = []
  const problems: Problem[] = []
  for (const { path, reading } of readings) {
    if ('problem' in reading) problems.push(reading.problem)
    else if (reading.processes.length === 0) problems.push(...reading.problems)
    else {
      for (const [index, metrics] of reading.processes.entries()) {
        observed.push({
          name: metrics.instance ?? nameOf(path),
          address: null,
          version: null,
          metrics,
          levelDump: NO_DUMP,
          mode: {},
          problems: index === 0 ? reading.problems : [],
        })
      }
    }
  }
  return { observed, problems }
}

function nameOf(path: string): string {
  return basename(path)
    .replace(/\.gz$/, '')
    .replace(/\.(?:prom|txt|metrics)$/, '')
}

async function readFile(path: string): Promise<MetricsReading | { problem: Problem }> {
  try {
    return await readMetrics(path, savedMetrics(path))
  } catch (error) {
    return { problem: unreadable(path, error) }
  }
}
