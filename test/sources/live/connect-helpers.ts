/** Kubeconfigs and surroundings for tests that connect. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Surroundings } from '../../../src/sources/live/connect.ts'
import { NO_FLAGS } from '../../../src/sources/live/kubeconfig/target.ts'
import type { LiveOptions } from '../../../src/sources/live/open.ts'

export interface Workplace {
  folder: string
  /** Writes a file and gives its path. */
  write(name: string, content: string, mode?: number): string
  remove(): void
}

export function workplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'live-test-'))
  return {
    folder,
    write(name, content, mode = 0o600) {
      const path = join(folder, name)
      writeFileSync(path, content, { mode })
      return path
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** A kubeconfig of one context, as JSON, which is YAML too. */
export function kubeconfig(cluster: object, user: object = {}, context: object = {}): string {
  return JSON.stringify({
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', ...context } }],
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'test', user }],
  })
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

export function surroundings(changes: Partial<Surroundings> = {}): Surroundings {
  return {
    env: {},
    home: '/nonexistent',
    serviceAccountFolder: '/nonexistent',
    stdinIsTerminal: false,
    stdinTaken: false,
    stderr: 'inherit',
    userAgent: 'test',
    log: null,
    sleep: async () => {},
    ...changes,
  }
}

export function options(kubeconfigPath: string, changes: Partial<LiveOptions> = {}): LiveOptions {
  return {
    flags: { ...NO_FLAGS, kubeconfig: kubeconfigPath },
    requestTimeout: '',
    surroundings: surroundings(),
    serverVersion: null,
    ...changes,
  }
}
