import { describe, expect, it } from 'vitest'
import { parseServerVersion } from '../../src/apf/versions.ts'
import { decideMode, type ModeObservations, type ServerMode } from '../../src/metrics/mode.ts'
import { readMetrics } from '../../src/metrics/process-metrics.ts'
import { chunks } from '../support/chunks.ts'
import { vectors } from './vectors.ts'

interface Input {
  livezHooks?: string[]
  pfHeadersOnVersion?: boolean
  statusOfVersion?: number
  metrics?: string[]
  version?: string
  debugStatus?: number
  apiGroupServed?: boolean
  flowSchemasExist?: boolean
  danglingConditions?: boolean
}

describe.each(vectors<Input, ServerMode>('seats', 'modeDetection'))('$note', ({ input, expected }) => {
  it(`${JSON.stringify(input).slice(0, 100)} tells ${expected}`, async () => {
    const { mode, contradiction } = decideMode(await observations(input))
    expect({ mode, contradiction }).toEqual({ mode: expected, contradiction: null })
  })
})

async function observations(input: Input): Promise<ModeObservations> {
  const { livezHooks, pfHeadersOnVersion, statusOfVersion, metrics, version, ...same } = input
  const process = metrics && (await readMetrics('metrics', chunks(`${metrics.join('\n')}\n`))).processes[0]
  const minor = version && parseServerVersion(version)?.minor
  return {
    ...same,
    ...(livezHooks && { healthChecks: livezHooks }),
    ...(pfHeadersOnVersion !== undefined && {
      answer: { path: '/version', status: statusOfVersion ?? 200, hasApfHeaders: pfHeadersOnVersion },
    }),
    ...(process && { metrics: process }),
    ...(typeof minor === 'number' && { minor }),
  }
}
