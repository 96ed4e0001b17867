import { describe, expect, it } from 'vitest'
import type { EventLimits } from '../../src/report/contract.ts'
import { apf } from '../support/cli.ts'

const OUTER = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n'
const OWN = 'apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\n'
const REFUSED = 'failed to read plugin config: '

async function answerTo(stdin: string) {
  const { code, stdout } = await apf(['limits', 'events', '--config', '-', '-o', 'json'], { stdin })
  const answer: EventLimits = JSON.parse(stdout)
  return { code, answer }
}

describe('an AdmissionConfiguration that the server does not decode', () => {
  it.each([
    [
      'plugins that are a number',
      `${OUTER}plugins: 5\n`,
      'json: cannot unmarshal number into Go struct field AdmissionConfiguration.plugins of type []v1.AdmissionPluginConfiguration',
    ],
    [
      'a plugin that is text',
      `${OUTER}plugins: [x]\n`,
      'json: cannot unmarshal string into Go struct field AdmissionConfiguration.plugins of type v1.AdmissionPluginConfiguration',
    ],
    [
      'a path that is a boolean',
      `${OUTER}plugins:\n- name: EventRateLimit\n  path: true\n`,
      'json: cannot unmarshal bool into Go struct field AdmissionPluginConfiguration.plugins.path of type string',
    ],
    [
      'a key that stands twice',
      `${OUTER}plugins:\n- name: EventRateLimit\n  name: EventRateLimit\n`,
      'strict decoding error: yaml: unmarshal errors:\n  line 5: key "name" already set in map',
    ],
    [
      'a key that stands twice in JSON',
      '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"AdmissionConfiguration","plugins":[{"name":"a","name":"b"}],"x":1}',
      'strict decoding error: duplicate field "plugins[0].name", unknown field "x"',
    ],
  ])('%s', async (_what, stdin, text) => {
    const { code, answer } = await answerTo(stdin)
    expect({ code, startError: answer.startError }).toEqual({ code: 1, startError: REFUSED + text })
  })
})

describe('a configuration of EventRateLimit', () => {
  it('that is embedded has lines too', async () => {
    const limits = '    limits:\n    - type: Server\n      qps: 0\n      burst: 1\n'
    const embedded =
      '  configuration:\n    apiVersion: eventratelimit.admission.k8s.io/v1alpha1\n    kind: Configuration\n'
    const { answer } = await answerTo(`${OUTER}plugins:\n- name: Other\n- name: EventRateLimit\n${embedded}${limits}`)
    expect(answer.errors).toEqual([
      { field: 'limits[0].qps', text: 'limits[0].qps: Invalid value: 0: must be positive', line: 11 },
    ])
  })

  it('says which of two values of a key counts', async () => {
    const { code, answer } = await answerTo(`${OWN}limits:\n- type: Server\n  qps: 5\n  qps: 7\n  burst: 10\n`)
    expect(code).toBe(0)
    expect(answer.limits).toMatchObject([{ qps: 7 }])
    expect(answer.advice).toMatchObject([
      { severity: 'warning', setting: 'limits[0].qps', message: expect.stringContaining('line 5 and again in line 6') },
    ])
  })

  it('leaves no gap in the table for people where there is nothing to advise', async () => {
    const { stdout } = await apf(['limits', 'events', '--config', '-'], {
      stdin: `${OWN}limits: [{type: Server, qps: 1, burst: 1}]\n`,
    })
    expect(stdout).not.toContain('\n\n\n')
  })
})
