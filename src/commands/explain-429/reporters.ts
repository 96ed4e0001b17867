/** How the findings are printed: as they come where the format allows it, and the account of them at the end. */
import type { Account, AttributedItem } from '../../analysis/attributions.ts'
import type { Io } from '../../cli/io.ts'
import { type OutputFlagValues, printTable, stdoutPainter } from '../../cli/print.ts'
import { attributionItem, attributionSummary, type InputRead } from '../../report/attributions-document.ts'
import {
  distribution,
  explanation,
  findingLine,
  groupColumns,
  markdown,
  verdict,
} from '../../report/attributions-text.ts'
import { API_VERSION } from '../../report/contract.ts'
import { toJson, toJsonLine, toJsonText, toYaml } from '../../report/document.ts'
import { type LineWriter, lineWriter } from '../../report/lines.ts'
import { escapeForTerminal } from '../../ui/escape.ts'
import { symbolsFor } from '../../ui/symbols.ts'
import type { Cluster } from './cluster.ts'

export interface Reporter {
  /** A finding, in the order of the input. */
  item(item: AttributedItem): void
  /** Writes what is held back. */
  flush(): Promise<void>
  end(account: Account, read: InputRead): Promise<void>
}

/** The reporter of the format of `--output`. */
export function reporterFor(flags: OutputFlagValues & { all: boolean }, cluster: Cluster, io: Io): Reporter {
  const writer = lineWriter(io.stdout)
  switch (flags.output) {
    case 'json':
      return jsonReporter(writer, cluster)
    case 'jsonl':
      return {
        item: (item) => void writer.write(toJsonLine(attributionItem(item, cluster.of(item)))),
        flush: () => writer.flush(),
        end: () => writer.flush(),
      }
    case 'yaml':
      return yamlReporter(writer, cluster)
    case 'markdown':
      return {
        item: () => {},
        flush: async () => {},
        end: async (account, read) => {
          await io.stdout.write(markdown(account, read, cluster.of))
        },
      }
    default:
      return textReporter(flags, writer, cluster, io)
  }
}

/** One document, the items of which are written one by one: a log of any size has room. */
function jsonReporter(writer: LineWriter, cluster: Cluster): Reporter {
  let isFirst = true
  return {
    item(item) {
      void writer.write(`${isFirst ? JSON_HEAD : ','}\n    ${toJsonText(attributionItem(item, cluster.of(item)))}`)
      isFirst = false
    },
    flush: () => writer.flush(),
    async end(account, read) {
      const summary = toJson(attributionSummary(account, read, cluster.of))
        .trimEnd()
        .replaceAll('\n', '\n  ')
      void writer.write(`${isFirst ? `${JSON_HEAD}]` : '\n  ]'},\n  "summary": ${summary}\n}\n`)
      await writer.flush()
    },
  }
}

const JSON_HEAD = `{\n  "apiVersion": "${API_VERSION}",\n  "kind": "Attributions",\n  "items": [`

function yamlReporter(writer: LineWriter, cluster: Cluster): Reporter {
  let isFirst = true
  let written: Promise<void> = Promise.resolve()
  return {
    item(item) {
      const head = isFirst ? YAML_HEAD : ''
      isFirst = false
      // The writer of YAML is loaded on first use.
      written = written.then(async () => {
        const text = await toYaml([attributionItem(item, cluster.of(item))])
        void writer.write(`${head === '' ? '' : `${head}items:\n`}${text}`)
      })
    },
    async flush() {
      await written
      await writer.flush()
    },
    async end(account, read) {
      await written
      const head = isFirst ? `${YAML_HEAD}items: []\n` : ''
      void writer.write(head + (await toYaml({ summary: attributionSummary(account, read, cluster.of) })))
      await writer.flush()
    },
  }
}

const YAML_HEAD = `apiVersion: ${API_VERSION}\nkind: Attributions\n`

function textReporter(
  flags: OutputFlagValues & { all: boolean },
  writer: LineWriter,
  cluster: Cluster,
  io: Io,
): Reporter {
  return {
    item(item) {
      if (flags.all) void writer.write(`${findingLine(item)}\n`)
    },
    flush: () => writer.flush(),
    async end(account, read) {
      if (flags.all && account.findings > 0) void writer.write('\n')
      const paint = stdoutPainter(io)
      const symbols = symbolsFor(io.env)
      void writer.write(`${escapeForTerminal(verdict(account, read))}\n`)
      await writer.flush()
      if (account.findings > 1) {
        await io.stdout.write('\n')
        await printTable(groupColumns(paint, flags.output === 'wide'), account.groups, flags, io)
      }
      const lines = distribution(account)
      if (lines.length > 0) await io.stdout.write(`\n${lines.join('\n')}\n`)
      for (const { example } of account.groups) {
        await io.stdout.write(`\n${explanation(example, cluster.of(example), paint, symbols)}`)
      }
    },
  }
}
