/** What is needed of fflate, in a file of its own: loaded when there is a ZIP to show. */
export { unzipSync } from "fflate";
