import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Classifier, classify, plainClassifier } from '../../src/apf/classify.ts'
import { compileClassifier } from '../../src/apf/compiled-classifier.ts'
import { decodeObject } from '../../src/apf/decode.ts'
import { impersonate } from '../../src/apf/identity.ts'
import type { FlowSchema, PriorityLevelConfiguration } from '../../src/apf/objects.ts'
import { effectiveConfiguration } from '../../src/apf/order.ts'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import { resolveVersion, type VersionRules } from '../../src/apf/versions.ts'

const FOLDER = new URL('../fixtures/probes/', import.meta.url)

interface Caller {
  user: string
  groups: string[]
}

interface Probe {
  authenticatedAs: Caller | null
  impersonate: { user?: string; groups?: string[]; uid?: string; extra?: Record<string, string[]> } | null
  /** Whom APF saw; null where authentication failed. */
  effective: Caller | null
  method: string
  url: string
  status: number
  /** Null where the answer had no header of APF. */
  flowSchema: string | null
  priorityLevel: string | null
}

interface Recording {
  serverVersion: string
  flowSchemas: object[]
  priorityLevels: object[]
  probes: Probe[]
}

const recordings = readdirSync(FOLDER)
  .sort()
  .map((name): Recording => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')))

describe.each(recordings)(
  'probes of a server $serverVersion',
  ({ serverVersion, flowSchemas, priorityLevels, probes }) => {
    const version = resolveVersion(serverVersion)
    if (!version.known) throw new Error(`${serverVersion} is not in the table`)
    const { rules } = version
    const configuration = effectiveConfiguration(
      flowSchemas.map((json) => decoded<FlowSchema>(json, rules)),
      priorityLevels.map((json) => decoded<PriorityLevelConfiguration>(json, rules)),
      rules,
    )

    it.each([
      ['plain', plainClassifier(configuration)],
      ['compiled', compileClassifier(configuration)],
    ])('land where the server said, for the %s classifier', (_, classifier) => {
      for (const probe of probes) {
        if (probe.effective === null) continue
        expect(landing(classifier, probe, rules), title(probe)).toEqual([probe.flowSchema, probe.priorityLevel])
      }
    })

    it('are refused exactly if the server refused them', () => {
      for (const probe of probes) {
        const request = requestInfo(probe.method, probe.url)
        const unseen = probe.flowSchema === null && (probe.status === 400 || probe.status === 500)
        if (isRefused(request)) expect(request.httpStatus, title(probe)).toBe(probe.status)
        else expect(unseen && probe.effective !== null, title(probe)).toBe(false)
      }
    })

    it('come from whom the server took for the caller', () => {
      for (const probe of probes) {
        if (probe.impersonate === null) {
          expect(probe.effective, title(probe)).toEqual(probe.authenticatedAs)
          continue
        }
        const answer = impersonate(probe.impersonate, rules)
        expect(answer.impersonated && { user: answer.identity.name, groups: answer.identity.groups }).toEqual(
          probe.effective,
        )
      }
    })
  },
)

it('all of them were there', () => {
  expect(recordings.map(({ serverVersion, probes }) => [serverVersion, probes.length])).toEqual([
    ['v1.28.15', 447],
    ['v1.31.14', 444],
    ['v1.34.4', 443],
    ['v1.37.2', 444],
  ])
})

function landing(classifier: Classifier, probe: Probe, rules: VersionRules): [string | null, string | null] {
  const request = requestInfo(probe.method, probe.url)
  if (isRefused(request) || probe.effective === null) return [null, null]
  const { user, groups } = probe.effective
  const answer = classify(classifier, { name: user, groups }, request, rules)
  return answer.outcome === 'bypass'
    ? [null, null]
    : [answer.entry.schema.metadata.name, answer.entry.level.metadata.name]
}

function title({ method, url, effective }: Probe): string {
  return `${method} ${url} as ${effective?.user}`
}

function decoded<T>(json: object, rules: VersionRules): T {
  const { object, problems } = decodeObject(json, null, rules, { fromServer: true })
  expect(problems).toEqual([])
  return object as T
}
