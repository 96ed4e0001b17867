import { describe, expect, it } from 'vitest'
import { lineWriter } from '../../src/report/lines.ts'

function slowSink() {
  const written: string[] = []
  let ready = () => {}
  const write = (text: string) => {
    written.push(text)
    return new Promise<void>((resolve) => {
      ready = resolve
    })
  }
  return { write, written, drain: () => ready() }
}

describe('lineWriter', () => {
  it('collects small pieces and asks to wait when it passes them on', async () => {
    const sink = slowSink()
    const writer = lineWriter(sink)
    const line = `${'x'.repeat(1023)}\n`
    for (let i = 0; i < 63; i++) expect(writer.write(line)).toBeUndefined()
    expect(sink.written).toEqual([])
    const wait = writer.write(line)
    expect(wait).toBeInstanceOf(Promise)
    expect(sink.written.map((text) => text.length)).toEqual([65536])
    sink.drain()
    await wait
  })

  it('writes the rest on flush, and nothing where nothing is left', async () => {
    const sink = slowSink()
    const writer = lineWriter(sink)
    writer.write('a\n')
    const flushed = writer.flush()
    sink.drain()
    await flushed
    await writer.flush()
    expect(sink.written).toEqual(['a\n'])
  })
})
