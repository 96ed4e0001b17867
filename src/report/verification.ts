/** The server's own word for where a request lands, for people and for programs. */
import type { RequestAttributes } from '../apf/request.ts'
import { requestWords } from '../kubectl/phrase.ts'
import type { Verification } from './contract.ts'

/** What a verification has brought. */
export interface Verified {
  /** `stale`: the objects changed while it went on; `not-sent`: no harmless request tells; `undecided`: sent in vain. */
  verdict: 'agrees' | 'disagrees' | 'stale' | 'not-sent' | 'undecided'
  agrees: boolean | null
  server: string
  httpStatus: number | null
  /** '' is a stand-in that has no object; null: the server did not say. */
  flowSchemaUID: string | null
  priorityLevelUID: string | null
  /** Null where none of the objects that were read has the UID. */
  flowSchema: string | null
  priorityLevel: string | null
  /** '' where there is nothing to add. */
  note: string
  /** For `not-sent`: a read that lands in the same schema and level and can be sent. */
  instead: RequestAttributes | null
  failure: { what: string; why: string } | null
}

/** One line for a person, behind the word "verified". */
export function verificationInWords(verified: Verified): string {
  const { verdict, httpStatus, note, instead, failure } = verified
  const http = httpStatus === null ? '' : ` (HTTP ${httpStatus})`
  switch (verdict) {
    case 'agrees':
      return sentence(`the server agrees${http}`, note)
    case 'disagrees':
      return sentence(`the server disagrees${http}: it says ${landingInWords(verified)}`, note)
    case 'not-sent':
      return instead === null ? note : `${note}; ${requestWords(instead)} lands alike and can be verified`
    default:
      return sentence(`not decided${http}`, failure?.what ?? note)
  }
}

/** What the headers of one answer say, with the names of the objects. */
export type SaidLanding = Pick<Verified, 'flowSchema' | 'flowSchemaUID' | 'priorityLevel' | 'priorityLevelUID'>

/** Where the server puts a request by its headers: `workload-low through service-accounts`. */
export function landingInWords(said: SaidLanding): string {
  const level = said.priorityLevel ?? unnamed('level', said.priorityLevelUID)
  const schema = said.flowSchema ?? unnamed('FlowSchema', said.flowSchemaUID)
  return `${level} through ${schema}`
}

function unnamed(what: string, uid: string | null): string {
  return uid === '' ? `a stand-in ${what} of the server` : `an unknown ${what} (UID ${uid})`
}

export function verificationDocument(verified: Verified): Verification {
  const { server, agrees, flowSchemaUID, priorityLevelUID, httpStatus, verdict } = verified
  const isPlain = verdict === 'agrees' && verified.note === ''
  return {
    server,
    agrees,
    flowSchemaUID,
    priorityLevelUID,
    httpStatus,
    note: isPlain ? null : verificationInWords(verified),
  }
}

function sentence(verdict: string, addition: string): string {
  return addition === '' ? verdict : `${verdict}; ${addition}`
}
