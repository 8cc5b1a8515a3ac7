// leads further
#include "inc.cl"
