import { describe, expect, it } from 'vitest'
import type { Attribution } from '../../src/limiters/attribution.ts'
import { answerHeaders, attributeAnswer } from '../../src/limiters/evidence/answer.ts'
import { attributeText } from '../../src/limiters/evidence/document.ts'
import { attributeHttpLog } from '../../src/limiters/evidence/http-log.ts'
import { reasonText } from '../../src/limiters/layers.ts'
import { vectorFile } from './vectors.ts'

interface Sample {
  source: 'log' | 'status' | 'response'
  text?: string
  code?: number
  headers?: Record<string, string>
  body?: string
  layer: string
  reason: string
  fields: Record<string, unknown>
  note: string
}

const samples = vectorFile('throttle-samples') as Sample[]

describe.each(samples.map((sample, index) => ({ index, ...sample })))('sample $index: $layer $note', (sample) => {
  const found = attributeSample(sample)

  it('is given to its layer for its reason', () => {
    expect(found.map(({ layer, reason }) => ({ layer, reason }))).toEqual([
      { layer: sample.layer, reason: sample.reason },
    ])
  })

  it('gives its fields away', () => {
    expect(found[0]?.fields).toMatchObject(sample.fields)
  })

  it('has words', () => {
    const [only] = found
    expect(only && reasonText(only.layer, only.reason).advice).toMatch(/\w/)
  })
})

function attributeSample(sample: Sample): Attribution[] {
  if (sample.source !== 'response') {
    const httpLine = (record: Parameters<typeof attributeHttpLog>[0]) => attributeHttpLog(record, false, null)
    return attributeText(sample.text ?? '', httpLine).map(({ attribution }) => attribution)
  }
  const requestPath = sample.fields['requestPath']
  const found = attributeAnswer({
    code: sample.code ?? null,
    headers: answerHeaders(Object.entries(sample.headers ?? {}), true),
    body: sample.body ?? '',
    requestPath: typeof requestPath === 'string' ? requestPath : null,
    aggregatedApis: null,
  })
  return found === null ? [] : [found]
}
