/** Files, folders, recordings of API servers, and standard input. */
import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import type { Problem } from '../apf/problem.ts'
import { compareBytes } from '../apf/text.ts'
import { type ServerVersion, versionFromVersionJson } from '../apf/versions.ts'
import { readDocuments } from './documents.ts'
import { type Input, readInputFile, readInputStream, STDIN_NAME, unreadable } from './input.ts'
import { type ForeignObject, type Found, ManifestCollector } from './manifests.ts'
import { type SourceText, sourceText } from './source-text.ts'
import { commentedJson5, foreignLanguage, isJson5, JSON5_FIX, kustomizedFolder } from './unrendered.ts'

export interface FilesRead {
  found: Found[]
  /** Objects of the other kinds that were asked for. */
  foreign: readonly ForeignObject[]
  /** Files that were read, as named in messages. */
  files: string[]
  /** Texts, by name, of those in which something was found. */
  texts: ReadonlyMap<string, SourceText>
  /** Everything came from recordings: what is not there does not exist. */
  recordingsOnly: boolean
  /** Of the recording whose objects were taken; null without one. */
  serverVersion: ServerVersion | null
  /** Folder of that recording. */
  recording: string | null
  /** All of them, in the order read. */
  recordings: Recording[]
  notes: string[]
}

/**
 * Reads everything that `--from` names, in the order given. What cannot be read leaves a problem of severity error, and
 * the rest is read all the same.
 *
 * A folder is read with its sub-folders, names by bytes: *.yaml, *.yml and *.json; hidden folders are left out, and the
 * files of one that Kustomize builds. A folder
 * with a `version.json` as served by an API server is a recording: of its JSON files only `flowschemas.json` and
 * `prioritylevelconfigurations.json` are manifests. Several recordings are taken for API servers of one cluster, which share
 * their objects: those of the first one count.
 *
 * @param texts  by name, what is taken for the text of a file instead of its content
 * @param wanted  other kinds to keep, as `GROUP/KIND`
 */
export async function readFiles(
  paths: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
  texts: ReadonlyMap<string, string> = new Map(),
  wanted: ReadonlySet<string> = new Set(),
): Promise<FilesRead> {
  const reader = new FilesReader(stdin, texts, wanted)
  for (const path of paths) await reader.readPath(path)
  return reader.result()
}

const MANIFEST_NAME = /\.(?:yaml|yml|json)$/
const RECORDED_OBJECTS: ReadonlySet<string> = new Set(['flowschemas.json', 'prioritylevelconfigurations.json'])

/** What was recorded from one API server. */
export interface Recording {
  folder: string
  version: ServerVersion
}

interface ReadAs {
  /** The user named this very file. */
  named: boolean
  /** It was recorded from an API server. */
  served: boolean
}

class FilesReader {
  readonly #stdin: AsyncIterable<Uint8Array>
  readonly #manifests: ManifestCollector
  readonly #files: string[] = []
  readonly #texts = new Map<string, SourceText>()
  readonly #replaced: ReadonlyMap<string, string>
  readonly #folders = new Set<string>()
  readonly #recordings: Recording[] = []
  /** The recording whose objects count. */
  #used: Recording | null = null
  #stdinRead = false
  /** Something was found outside of recordings. */
  #hasOwnObjects = false

  constructor(stdin: AsyncIterable<Uint8Array>, replaced: ReadonlyMap<string, string>, wanted: ReadonlySet<string>) {
    this.#manifests = new ManifestCollector(wanted)
    this.#stdin = stdin
    this.#replaced = replaced
  }

  async readPath(path: string): Promise<void> {
    if (path === '-') return await this.#readStdin()
    const stats = this.#stats(path)
    if (stats === null) return
    if (!stats.isDirectory()) return await this.#readFile(path, { named: true, served: false })
    const before = this.#seen()
    await this.#readFolder(path.replace(/(?<=.)\/+$/, ''))
    if (this.#seen() > before) return
    this.#manifests.addProblem(empty(path, 'no *.yaml, *.yml or *.json file in this folder'))
  }

  result(): FilesRead {
    const recording = this.#used ?? this.#recordings[0] ?? null
    return {
      found: this.#manifests.found,
      foreign: this.#manifests.foreign,
      files: this.#files,
      texts: this.#texts,
      recordingsOnly: recording !== null && !this.#hasOwnObjects,
      serverVersion: recording?.version ?? null,
      recording: recording?.folder ?? null,
      recordings: this.#recordings,
      notes: [...this.#recordingNotes(), ...this.#manifests.notes()],
    }
  }

  async #readStdin(): Promise<void> {
    if (this.#stdinRead) {
      const message = 'standard input is given twice, and can be read only once'
      const at = { file: STDIN_NAME }
      this.#manifests.addProblem({ code: 'unreadable', severity: 'error', message, fix: 'give - once', at })
      return
    }
    this.#stdinRead = true
    const input = this.#replacement(STDIN_NAME) ?? (await readInputStream(STDIN_NAME, this.#stdin))
    await this.#take(STDIN_NAME, input, { named: true, served: false })
  }

  async #readFile(path: string, as: ReadAs): Promise<void> {
    const foreign = foreignLanguage(path)
    if (foreign !== null) return as.named ? this.#manifests.addProblem(foreign) : undefined
    await this.#take(path, this.#replacement(path) ?? readInputFile(path), as)
  }

  #replacement(name: string): Input | null {
    const text = this.#replaced.get(name)
    return text === undefined ? null : { source: sourceText(name, text) }
  }

  async #take(name: string, input: Input, as: ReadAs): Promise<void> {
    if ('problem' in input) return this.#manifests.addProblem(input.problem)
    this.#files.push(name)
    const commented = commentedJson5(name, input.source.text)
    if (commented !== null) return this.#manifests.addProblem(commented)
    const { documents, problems } = await readDocuments(input.source)
    for (const problem of problems) {
      this.#manifests.addProblem(
        isJson5(name) && problem.severity === 'error' ? { ...problem, fix: JSON5_FIX } : problem,
      )
    }
    const before = { found: this.#manifests.found.length, foreign: this.#manifests.foreign.length }
    for (const document of documents) this.#manifests.addDocument(name, document, as)
    const foundAny = this.#manifests.found.length > before.found
    if (foundAny || this.#manifests.foreign.length > before.foreign) this.#texts.set(name, input.source)
    if (!as.served && foundAny) this.#hasOwnObjects = true
    const hasValue = documents.some(({ value }) => value !== null)
    if (as.named && !hasValue && problems.length === 0)
      this.#manifests.addProblem(empty(name, 'empty: no object in it'))
  }

  async #readFolder(folder: string): Promise<void> {
    const names = this.#namesIn(folder)
    const version = names.includes('version.json') ? await recordedVersion(`${folder}/version.json`) : null
    if (version) await this.#readRecording({ folder, version }, names)
    else {
      const kustomized = await kustomizedFolder(folder, names)
      if (kustomized !== null) this.#manifests.addProblem(kustomized)
      await this.#readEntries(folder, names, kustomized === null)
    }
  }

  /** Nothing for a folder that was read before, by whatever path. */
  #namesIn(folder: string): string[] {
    try {
      const real = realpathSync(folder)
      if (this.#folders.has(real)) return []
      this.#folders.add(real)
      return readdirSync(folder).sort(compareBytes)
    } catch (error) {
      this.#manifests.addProblem(unreadable(folder, error))
      return []
    }
  }

  /** @param withFiles  false: only the folders in it */
  async #readEntries(folder: string, names: readonly string[], withFiles = true): Promise<void> {
    for (const name of names) {
      const isManifest = MANIFEST_NAME.test(name) && withFiles
      const path = folder === '/' ? `/${name}` : `${folder}/${name}`
      const stats = isManifest ? this.#stats(path) : existing(path)
      if (stats?.isDirectory()) {
        if (!name.startsWith('.')) await this.#readFolder(path)
      } else if (isManifest && stats?.isFile()) await this.#readFile(path, { named: false, served: false })
    }
  }

  async #readRecording(recording: Recording, names: readonly string[]): Promise<void> {
    this.#recordings.push(recording)
    const objects = names.filter((name) => RECORDED_OBJECTS.has(name))
    if (this.#used === null && objects.length > 0) {
      this.#used = recording
      for (const name of objects) await this.#readFile(`${recording.folder}/${name}`, { named: false, served: true })
    }
    const others = names.filter((name) => !name.endsWith('.json'))
    await this.#readEntries(recording.folder, others)
  }

  #stats(path: string): Stats | null {
    try {
      return statSync(path)
    } catch (error) {
      this.#manifests.addProblem(unreadable(path, error))
      return null
    }
  }

  /** Grows with everything that reading a folder comes upon. */
  #seen(): number {
    return this.#files.length + this.#manifests.found.length + this.#recordings.length
  }

  #recordingNotes(): string[] {
    const notes: string[] = []
    if (this.#recordings.length === 0) return notes
    const names = this.#recordings.map(({ folder }) => folder)
    if (this.#used === null) notes.push(`no FlowSchemas were recorded in ${listed(names)}`)
    else if (names.length > 1) {
      notes.push(
        `${names.length} recordings (${listed(names)}); API servers share their objects: taken from ${this.#used.folder}`,
      )
      const versions = new Set(this.#recordings.map(({ version }) => version.text))
      if (versions.size > 1)
        notes.push(`their versions differ (${listed([...versions])}): the rules of ${this.#used.version.text} are used`)
    }
    return notes
  }
}

/** What cannot be looked at, such as a link to itself, is no folder. */
function existing(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

async function recordedVersion(path: string): Promise<ServerVersion | null> {
  const input = readInputFile(path)
  if ('problem' in input) return null
  const { documents } = await readDocuments(input.source)
  return versionFromVersionJson(documents[0]?.value)
}

function empty(file: string, message: string): Problem {
  return { code: 'empty', severity: 'warning', message, fix: 'check what should be there', at: { file } }
}

function listed(names: readonly string[]): string {
  return names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
}
