/** The part of fflate we need, in a file of its own so that it is loaded only when there is a ZIP to show. */
export { unzipSync } from "fflate";
