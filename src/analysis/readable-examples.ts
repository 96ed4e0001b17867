/** Reads out of a region: requests that could be sent without doing harm. */
import type { Identity } from '../apf/request.ts'
import { intersectRegions, type Region } from '../regions/region.ts'
import { PATHS, PLAIN, RESOURCES } from '../regions/spaces.ts'
import { everything, only } from '../regions/string-set.ts'
import { type RequestLine, witness } from '../regions/witness.ts'

/** The plainest list or watch, read of one object, and GET of a path in the region, those that exist. */
export function readableExamples(region: Region, identity: Identity): RequestLine[] {
  return [reads(['list', 'watch']), reads(['get']), PATH_READS].flatMap((kind) => {
    const example = witness(intersectRegions(region, kind), identity)
    return example === null ? [] : [withObject(example)]
  })
}

function reads(verbs: readonly string[]): Region {
  const cluster = [everything(PLAIN), everything(RESOURCES), only(PLAIN, verbs)]
  return { namespaced: [[everything(PLAIN), ...cluster]], cluster: [cluster], nonResource: [] }
}

const PATH_READS: Region = { namespaced: [], cluster: [], nonResource: [[everything(PATHS), only(PLAIN, ['get'])]] }

/** One object is read by its name, whatever it is: classification does not look at it. */
function withObject(line: RequestLine): RequestLine {
  return 'resource' in line && line.verb === 'get' && line.name === '' ? { ...line, name: 'example' } : line
}
