import { describe, expect, it } from 'vitest'
import { type ExpositionReport, parseSample, readExposition, type Sample } from '../../src/metrics/exposition.ts'
import { chunks } from '../support/chunks.ts'

async function read(text: string, size?: number): Promise<{ samples: Sample[]; report: ExpositionReport }> {
  const samples: Sample[] = []
  const report = await readExposition(
    chunks(text, size),
    (name) => name.startsWith('wanted'),
    (sample) => samples.push(sample),
  )
  return { samples, report }
}

describe('a sample', () => {
  it.each([
    ['wanted 3', {}, 3],
    ['wanted{} 3', {}, 3],
    ['wanted{a="x",b="y"} 3.5', { a: 'x', b: 'y' }, 3.5],
    ['wanted { a = "x" , b="y" , } 3', { a: 'x', b: 'y' }, 3],
    ['\twanted{a="x"}\t3 ', { a: 'x' }, 3],
    ['wanted{a="x"} 3\r', { a: 'x' }, 3],
    ['wanted{a="quote \\" backslash \\\\ line\\nend"} 1', { a: 'quote " backslash \\ line\nend' }, 1],
    ['wanted{a="} # 7",b=",="} 1', { a: '} # 7', b: ',=' }, 1],
    ['wanted{a="\\d"} 1', { a: '\\d' }, 1],
    ['wanted{a="élève"} 1', { a: 'élève' }, 1],
    ['wanted NaN', {}, Number.NaN],
    ['wanted +Inf', {}, Number.POSITIVE_INFINITY],
    ['wanted -Inf', {}, Number.NEGATIVE_INFINITY],
    ['wanted 1.7e+09', {}, 1.7e9],
    ['wanted -3', {}, -3],
    ['wanted .5', {}, 0.5],
    ['wanted{a="x"} 3 1395066363000', { a: 'x' }, 3],
    ['wanted_bucket{le="0.5"} 3 # {trace_id="KOO5S4vxi0o"} 0.17', { le: '0.5' }, 3],
    ['wanted_bucket{le="0.5"} 3 1520879607.789 # {trace_id="x"} 0.17 1520879607.7', { le: '0.5' }, 3],
  ])('%j is read', (line, labels, value) => {
    const sample = parseSample(line, 7)
    expect(sample).toEqual({
      name: line.trim().split(/[{ ]/)[0],
      labels: new Map(Object.entries(labels)),
      value,
      line: 7,
    })
  })

  it.each([
    ['wanted', 'has no value'],
    ['wanted{a="x"}', 'has no value'],
    ['wanted three', 'three is not a number'],
    ['wanted 0x10', '0x10 is not a number'],
    ['wanted 3 4 5', 'has 4 5 behind its value'],
    ['wanted{a="x} 3', 'has no closing quote for label a'],
    ['wanted{a=x} 3', 'has a value of label a without quotes'],
    ['wanted{a="x" b="y"} 3', 'has no comma behind label a'],
    ['wanted{a="x",a="y"} 3', 'has label a twice'],
    ['wanted{"a"} 3', 'has labels that are not name="value"'],
    ['7wanted 3', 'does not begin with the name of a metric'],
  ])('%j is refused', (line, why) => {
    expect(parseSample(line, 7)).toEqual({ line: 7, why })
  })
})

describe('an exposition', () => {
  const TEXT = [
    '# HELP other of no interest',
    '# TYPE other counter',
    'other{a="x"} 1',
    '# TYPE wanted gauge',
    'wanted{a="1"} 10',
    'wanted{a="ü"} 20',
    'wanted_more 30',
    'unwanted 1',
    '',
    'wanted 40',
    '',
  ].join('\n')
  const SAMPLES = [
    ['wanted', '1', 10, 5],
    ['wanted', 'ü', 20, 6],
    ['wanted_more', undefined, 30, 7],
    ['wanted', undefined, 40, 10],
  ]

  it.each([1, 2, 3, 7, 16, 1000])('is the same in chunks of %i bytes', async (size) => {
    const { samples, report } = await read(TEXT, size)
    expect(samples.map(({ name, labels, value, line }) => [name, labels.get('a'), value, line])).toEqual(SAMPLES)
    expect(report).toMatchObject({ lines: 10, samples: 4, malformedCount: 0, otherContent: null, truncated: false })
  })

  it('may begin with a byte order mark and have CRLF line ends', async () => {
    const { samples } = await read('\ufeffwanted 1\r\nwanted{a="x"} 2\r\n')
    expect(samples.map(({ value }) => value)).toEqual([1, 2])
  })

  it('counts the lines that cannot be read, and names the first', async () => {
    const { samples, report } = await read(`wanted 1\nwanted x\n${'wanted\n'.repeat(20)}wanted 2\n`)
    expect(samples.map(({ value }) => value)).toEqual([1, 2])
    expect(report.malformedCount).toBe(21)
    expect(report.malformed).toHaveLength(10)
    expect(report.malformed[0]).toEqual({ line: 2, why: 'x is not a number' })
  })

  it('that ends in the middle of a line is truncated, and that line says nothing', async () => {
    const { samples, report } = await read('wanted 1\nwanted 12')
    expect(samples.map(({ value }) => value)).toEqual([1])
    expect(report.truncated).toBe(true)
  })

  it('of OpenMetrics may end with its mark', async () => {
    const { samples, report } = await read('# TYPE wanted counter\n# UNIT wanted_total seconds\nwanted_total 1\n# EOF')
    expect(samples.map(({ name }) => name)).toEqual(['wanted_total'])
    expect(report.truncated).toBe(false)
  })

  it.each([
    ['', 'empty'],
    ['<!DOCTYPE html>\n<html>', 'html'],
    ['\n  <html><body>Log in</body></html>\n', 'html'],
    ['{"kind":"Status","code":403}\n', 'json'],
    ['{\n  "kind": "Status"\n}\n', 'json'],
    ['{}\n', 'json'],
    ['[{"metric":{}}]\n', 'json'],
    ['apiVersion: v1\nkind: List\n', 'yaml'],
    ['\u001f\u008b\u0008', 'text'],
    ['\u0000\u0001', 'binary'],
    ['Error from server (Forbidden): forbidden\n', 'text'],
    ['no newline', 'text'],
  ])('%j is none', async (text, content) => {
    expect((await read(text)).report.otherContent).toBe(content)
  })

  it('packed with gzip is recognised', async () => {
    const { report } = await readPacked()
    expect(report.otherContent).toBe('gzip')
  })

  it('with names in quotes is read around them', async () => {
    const { samples, report } = await read('{"my.metric",a="x"} 1\nwanted 2\n')
    expect(samples.map(({ value }) => value)).toEqual([2])
    expect(report.otherContent).toBeNull()
  })
})

async function readPacked(): Promise<{ report: ExpositionReport }> {
  async function* packed() {
    yield Uint8Array.of(0x1f, 0x8b, 8, 0)
  }
  return {
    report: await readExposition(
      packed(),
      () => true,
      () => undefined,
    ),
  }
}
