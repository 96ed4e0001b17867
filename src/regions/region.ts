/**
 * Sets of requests, exactly. Requests live on three planes that have nothing in common: resource requests with a namespace,
 * resource requests without one, and non-resource requests. On each plane a region is a list of disjoint boxes.
 */
import { type RequestAttributes, resourceWithSubresource } from '../apf/request.ts'
import { type Box, boxContains, boxesMeet, boxKey, intersectBoxes, mergeBoxes, subtractBox } from './box.ts'
import { PATHS, PLAIN, RESOURCES } from './spaces.ts'
import { everything, type StringSet, type StringSpace } from './string-set.ts'

/** The dimensions of each plane, in the order of the sets in its boxes. */
export const PLANES = {
  namespaced: { namespace: PLAIN, apiGroup: PLAIN, resource: RESOURCES, verb: PLAIN },
  cluster: { apiGroup: PLAIN, resource: RESOURCES, verb: PLAIN },
  nonResource: { path: PATHS, verb: PLAIN },
} as const satisfies Record<string, Record<string, StringSpace>>

/**
 * Orders of deciding the dimensions, by index, that describe usual rules shortly: rules are mostly about few API groups and
 * name their verbs and resources, while namespaces are seldom told apart.
 */
export const DECISION_ORDERS: Readonly<Record<Plane, readonly (readonly number[])[]>> = {
  namespaced: [
    [1, 3, 2, 0],
    [1, 2, 0, 3],
  ],
  cluster: [
    [0, 2, 1],
    [0, 1, 2],
  ],
  nonResource: [
    [0, 1],
    [1, 0],
  ],
}

export type Plane = keyof typeof PLANES

export const PLANE_NAMES: readonly Plane[] = ['namespaced', 'cluster', 'nonResource']

export type Region = { readonly [plane in Plane]: readonly Box[] }

export const NO_REQUEST: Region = { namespaced: [], cluster: [], nonResource: [] }

export const EVERY_REQUEST: Region = perPlane((plane) => [spacesOf(plane).map(everything)])

export function spacesOf(plane: Plane): StringSpace[] {
  return Object.values(PLANES[plane])
}

export function perPlane(boxes: (plane: Plane) => readonly Box[]): Region {
  return { namespaced: boxes('namespaced'), cluster: boxes('cluster'), nonResource: boxes('nonResource') }
}

/** The sets of a box by the names of its plane's dimensions. */
export function namedSets<P extends Plane>(plane: P, box: Box): Record<keyof (typeof PLANES)[P], StringSet> {
  const names = Object.keys(PLANES[plane])
  return Object.fromEntries(names.map((name, dimension) => [name, box[dimension]])) as ReturnType<typeof namedSets<P>>
}

/** Where a request lies: its plane, and its values in the order of that plane's dimensions. */
export function pointOf(request: RequestAttributes): { plane: Plane; point: string[] } {
  if (!request.isResourceRequest) return { plane: 'nonResource', point: [request.path, request.verb] }
  const point = [request.apiGroup, resourceWithSubresource(request), request.verb]
  if (request.namespace === '') return { plane: 'cluster', point }
  return { plane: 'namespaced', point: [request.namespace, ...point] }
}

export function regionContains(region: Region, request: RequestAttributes): boolean {
  const { plane, point } = pointOf(request)
  return region[plane].some((box) => boxContains(box, point))
}

/** Whether two regions have anything in common. */
export function regionsMeet(a: Region, b: Region): boolean {
  return PLANE_NAMES.some((plane) => a[plane].some((box) => b[plane].some((other) => boxesMeet(box, other))))
}

export function intersectRegions(a: Region, b: Region): Region {
  return perPlane((plane) => a[plane].flatMap((box) => b[plane].flatMap((other) => intersectBoxes(box, other))))
}

export function subtractRegion(a: Region, b: Region): Region {
  return perPlane((plane) =>
    b[plane].reduce<readonly Box[]>((rest, other) => rest.flatMap((box) => subtractBox(box, other)), a[plane]),
  )
}

export function uniteRegions(a: Region, b: Region): Region {
  const added = subtractRegion(b, a)
  return perPlane((plane) => [...a[plane], ...added[plane]])
}

export function isEmptyRegion(region: Region): boolean {
  return PLANE_NAMES.every((plane) => region[plane].length === 0)
}

export function sameRegion(a: Region, b: Region): boolean {
  return isEmptyRegion(subtractRegion(a, b)) && isEmptyRegion(subtractRegion(b, a))
}

/** Equal for regions of the same boxes. */
export function regionKey(region: Region): string {
  return PLANE_NAMES.map((plane) => region[plane].map(boxKey).join('\n\n')).join('\n\n\n')
}

/** The same requests in the shortest description that merging finds. */
export function simplifyRegion(region: Region): Region {
  return perPlane((plane) => mergeBoxes(region[plane]))
}
