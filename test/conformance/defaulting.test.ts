import { describe, expect, it } from 'vitest'
import { decodeObject } from '../../src/apf/decode.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { servedForm } from './served-form.ts'
import { vectors } from './vectors.ts'

interface Input {
  resource: string
  apiVersion: string
  /** Minors for which the case is told; absent: all. */
  kubernetes?: string
  spec: object
  annotations?: string[]
}

const MINORS: Readonly<Record<string, number>> = { '1.26-1.28': 28, '1.30+': 30 }

describe.each(vectors<Input, { spec: object }>('classification', 'defaulting'))('$note $input.spec', (vector) => {
  it('is filled in as the server does', () => {
    const { resource, apiVersion, kubernetes = '1.30+', spec, annotations = [] } = vector.input
    const value = {
      apiVersion: `flowcontrol.apiserver.k8s.io/${apiVersion}`,
      kind: resource,
      metadata: { name: 'x', annotations: Object.fromEntries(annotations.map((key) => [key, ''])) },
      spec,
    }
    const { object } = decodeObject(value, null, rulesFor({ minor: MINORS[kubernetes] ?? Number.NaN }))
    expect(servedForm(object?.spec)).toEqual(nominalShares(vector.expected.spec))
  })
})

/** The model has one name for what older versions call assuredConcurrencyShares. */
function nominalShares(spec: object): unknown {
  return JSON.parse(JSON.stringify(spec).replace('assuredConcurrencyShares', 'nominalConcurrencyShares'))
}
